// Written by tools/wire_types.py from pqexplore/insight/lenses/column_questions.py; change it there.

/** A question, its answer, the evidence as a sentence, and the lens that explains it at `address`. */
export interface Question {
  question: string;
  verdict: "yes" | "partly" | "no" | "not known";
  evidence: string;
  lens: string;
  address: string;
}
