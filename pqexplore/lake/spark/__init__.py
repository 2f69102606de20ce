"""What is done with Spark: its jobs, sessions and data source, the plans it prints, and the tables it reads."""
