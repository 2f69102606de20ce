"""Wrong answers to the exercises of chapter 08."""

WRONG = {
    "08.1": [
        "4",  # day 1 alone
        "5", "7",
        "8",  # two whole days
        "0",  # no file has Rome
        "len(store.objects)", "'6'", "6.5", "True", "[6]",
    ],
    "08.2": [
        "ValueList('fare')", "BloomFilter('fare')", "MinMax('trip')", "MinMax('city')", "BloomFilter('driver')",
        "MinMax('no such column')", "MinMax", "'MinMax(\"fare\")'", "[MinMax('trip'), MinMax('fare')]", "store", "True",
    ],
    "08.3": [
        "store.objects[0].path",  # it is ruled out
        "next(path for path in kept if path != vain[0])",  # the driver is there
        "vain[0].rpartition('/')[2]", "vain[0] + '#'", "str(folder)", "vain", "3", "True",
    ],
    "08.4": [
        "('driver', 'valuelist')",  # more bytes
        "('driver', 'minmax')", "('fare', 'valuelist')", "('fare', 'minmax')", "('city', 'valuelist')",
        "('(all)', 'valuelist')", "('bloomfilter', 'driver')", "'driver'", "'bloomfilter'", "('driver', True)",
        "('driver', 'bloomfilter', 20)", "{'driver': 'bloomfilter', 'trip': 'minmax'}",
    ],
    "08.5": [
        "0",  # by the indexes alone
        "1",  # the new file alone
        "3",  # the file that is gone, too
        "12",  # all files
        "11", "2.5", "'2'", "True", "[2]",
    ],
}  # fmt: skip
