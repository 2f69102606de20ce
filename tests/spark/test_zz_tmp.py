import pytest
from pathlib import Path
from insight.ask import grid_cases as g
from spark import test_ask_spark_grid as t
@pytest.mark.spark
def test_it(spark, monkeypatch):
    orig=g.asked_of
    def some(path):
        for s in orig(path):
            if 'fastparquet' in str(path) or s.startswith(('f ','f32','ns ','NOT isnan','isnan')): yield s
    monkeypatch.setattr(t,'asked_of',some)
    files={n:Path('.cache/grid')/f'{n}.parquet' for n in g.FILES}
    counts,diff=t.counted(t.verdicts(spark,files,1))
    open('/tmp/et/s3.txt','w').write(f'{counts}\n'+'\n'.join(diff))
