import httpx
import sqlmodel
