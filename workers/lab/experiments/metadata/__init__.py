"""How well and how cheaply the fields of records are read, beside other libraries."""
