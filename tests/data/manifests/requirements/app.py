import celery, django.db
import psycopg2
import numpy as np
from sqlalchemy import select
import torchmetrics
