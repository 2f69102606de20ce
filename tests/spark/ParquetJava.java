package pqexplore.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.HadoopReadOptions;
import org.apache.parquet.ParquetReadOptions;
import org.apache.parquet.filter2.compat.FilterCompat;
import org.apache.parquet.filter2.predicate.FilterApi;
import org.apache.parquet.filter2.predicate.FilterPredicate;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.util.RebaseDateTime;
import org.apache.spark.sql.execution.FileSourceScanExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFilters;
import org.apache.spark.sql.internal.LegacyBehaviorPolicy;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.util.AccumulatorV2;
import scala.collection.immutable.ArraySeq;

/**
 * Runs queries on one Parquet file, and asks Spark's ParquetFilters and parquet-java's filters what they do with each.
 *
 * <p>The answer to a query is a line for each thing: the predicate that reaches parquet-java, the row groups that it keeps
 * with its filters switched on one after the other, the rows after the column index, the rows that Spark's scan produced.
 */
public class ParquetJava {
  /** The answers to some queries, which one job runs. */
  public static List ask(List queries, String file, Configuration conf) throws Exception {
    RDD[] rows = new RDD[queries.size()];
    for (int i = 0; i < rows.length; i++) rows[i] = plan(queries.get(i)).execute();
    SparkContext context = ((Dataset) queries.get(0)).sparkSession().sparkContext();
    context.union(ArraySeq.unsafeWrapArray(rows), scala.reflect.ClassTag$.MODULE$.AnyRef()).count();
    List answers = new ArrayList();
    for (int i = 0; i < rows.length; i++) {
      FileSourceScanExec scan = scan(plan(queries.get(i)));
      String scanned = scan == null ? "" : "\nscanned=" + ((AccumulatorV2) scan.metrics().apply("numOutputRows")).value();
      answers.add(filters((Dataset) queries.get(i), file, conf) + scanned);
    }
    return answers;
  }

  /** What the filters do; the query is not run. */
  public static String filters(Dataset query, String file, Configuration conf) throws Exception {
    FileSourceScanExec scan = scan(plan(query));
    if (scan == null) return "predicate=no scan";
    FilterPredicate predicate = predicate(scan, file, conf);
    StringBuilder said = new StringBuilder("predicate=" + predicate);
    said.append("\nbounds=").append(kept(file, conf, predicate, true, false, false));
    said.append("\ndictionary=").append(kept(file, conf, predicate, true, true, false));
    said.append("\nBloom filter=").append(kept(file, conf, predicate, true, true, true));
    said.append("\nfiltered=").append(filtered(file, conf, predicate));
    return said.toString();
  }

  private static SparkPlan plan(Object query) {
    return ((Dataset) query).queryExecution().executedPlan();
  }

  private static FileSourceScanExec scan(SparkPlan plan) {
    if (plan instanceof FileSourceScanExec) return (FileSourceScanExec) plan;
    for (int i = 0; i < plan.children().size(); i++) {
      FileSourceScanExec found = scan((SparkPlan) plan.children().apply(i));
      if (found != null) return found;
    }
    return null;
  }

  private static FilterPredicate predicate(FileSourceScanExec scan, String file, Configuration conf) throws Exception {
    ParquetFileReader reader = open(file, conf, HadoopReadOptions.builder(conf).build());
    MessageType schema = reader.getFileMetaData().getSchema();
    reader.close();
    RebaseDateTime.RebaseSpec rebase =
        new RebaseDateTime.RebaseSpec(LegacyBehaviorPolicy.CORRECTED(), scala.Option.apply(null));
    ParquetFilters filters =
        new ParquetFilters(schema, true, true, true, true, 10, false, rebase, scala.Option.apply(scan.requiredSchema()));
    FilterPredicate all = null;
    for (int i = 0; i < scan.pushedDownFilters().size(); i++) {
      scala.Option made = filters.createFilter((Filter) scan.pushedDownFilters().apply(i));
      if (made.isEmpty()) continue;
      FilterPredicate one = (FilterPredicate) made.get();
      all = all == null ? one : FilterApi.and(all, one);
    }
    return all;
  }

  private static HadoopReadOptions.Builder filtering(Configuration conf, FilterPredicate predicate) {
    HadoopReadOptions.Builder made = HadoopReadOptions.builder(conf);
    if (predicate != null) made.withRecordFilter(FilterCompat.get(predicate));
    return made;
  }

  private static String kept(
      String file, Configuration conf, FilterPredicate predicate, boolean stats, boolean dictionary, boolean bloom)
      throws Exception {
    HadoopReadOptions.Builder options = filtering(conf, predicate);
    options.useStatsFilter(stats);
    options.useDictionaryFilter(dictionary);
    options.useBloomFilter(bloom);
    ParquetFileReader reader = open(file, conf, options.build());
    List blocks = reader.getRowGroups();
    StringBuilder said = new StringBuilder();
    for (int i = 0; i < blocks.size(); i++) {
      said.append(i == 0 ? "" : ",").append(((BlockMetaData) blocks.get(i)).getRowIndexOffset());
    }
    reader.close();
    return said.toString();
  }

  private static long filtered(String file, Configuration conf, FilterPredicate predicate) throws Exception {
    ParquetFileReader reader = open(file, conf, filtering(conf, predicate).build());
    long count = predicate == null ? reader.getRecordCount() : reader.getFilteredRecordCount();
    reader.close();
    return count;
  }

  private static ParquetFileReader open(String file, Configuration conf, ParquetReadOptions options) throws Exception {
    return ParquetFileReader.open(HadoopInputFile.fromPath(new Path(file), conf), options);
  }
}
