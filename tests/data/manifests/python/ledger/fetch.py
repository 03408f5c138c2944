"""Fetches statements from the bank."""

import json
from os import path

import requests
import yaml, bs4
from urllib3.util import Retry

from ledger.shared import clean
from . import shared


def fetch_statement(url):
    return requests.get(url)
