"""Places in object stores: the requests that are made of a bucket, and warehouses published in one."""
