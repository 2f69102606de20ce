"""What other choices of a writer would make of a file: real sizes, the best options, the same as code.

`choices` are what is tried, `measure` encodes one column chunk with each, `estimate` makes totals of samples, `column` and
`trial` run them within a budget, `predict` gives the size of a whole file, `code`, `sentence` and `text` say it. `savings` asks the
finders for other changes: `orders` sorts the rows, `layouts` cuts other row groups and pages.
"""
