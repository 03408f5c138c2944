"""Python modules whose distribution has another name."""

from __future__ import annotations

from collections.abc import Mapping

_TABLE = """
    _pytest=pytest absl=absl-py allauth=django-allauth apt=python-apt async_timeout=async-timeout attr=attrs
    attrs=attrs barcode=python-barcode bs4=beautifulsoup4,bs4 bson=pymongo cairo=pycairo celery=celery
    consul=python-consul corsheaders=django-cors-headers crispy_forms=django-crispy-forms
    Crypto=pycryptodome,pycrypto Cryptodome=pycryptodomex
    cv2=opencv-python,opencv-python-headless,opencv-contrib-python Cython=cython dateutil=python-dateutil
    debug_toolbar=django-debug-toolbar decouple=python-decouple discord=discord-py
    django_filters=django-filter dns=dnspython docx=python-docx dotenv=python-dotenv elftools=pyelftools
    engineio=python-engineio environ=django-environ faiss=faiss-cpu,faiss-gpu fitz=pymupdf
    flask_cors=flask-cors gi=pygobject git=gitpython github=pygithub gitlab=python-gitlab
    google.protobuf=protobuf grpc=grpcio haystack=haystack-ai hydra=hydra-core igraph=python-igraph,igraph
    IPython=ipython jenkins=python-jenkins jose=python-jose jwt=pyjwt kafka=kafka-python ldap=python-ldap
    levenshtein=levenshtein lightning=lightning,pytorch-lightning magic=python-magic markdown=markdown
    memcache=python-memcached mpl_toolkits=matplotlib msgpack=msgpack multipart=python-multipart
    MySQLdb=mysqlclient nacl=pynacl nmap=python-nmap oauth2client=oauth2client openid=python3-openid
    OpenSSL=pyopenssl PIL=pillow pkg_resources=setuptools pl_bolts=lightning-bolts pptx=python-pptx
    psycopg=psycopg,psycopg-binary psycopg2=psycopg2,psycopg2-binary pymysql=pymysql
    pynvml=nvidia-ml-py,pynvml PyQt5=pyqt5 pythoncom=pywin32 pyximport=cython
    rest_framework=djangorestframework ruamel.yaml=ruamel-yaml sentry_sdk=sentry-sdk serial=pyserial
    skimage=scikit-image sklearn=scikit-learn slugify=python-slugify snappy=python-snappy
    socketio=python-socketio socks=pysocks speech_recognition=speechrecognition storages=django-storages
    telegram=python-telegram-bot tlz=toolz toktok=toktok-rs tree_sitter=tree-sitter umap=umap-learn
    usb=pyusb websocket=websocket-client win32api=pywin32 win32con=pywin32 wx=wxpython Xlib=python-xlib
    yaml=pyyaml zmq=pyzmq zoneinfo=tzdata
"""
DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    module: tuple(names.split(",")) for module, _, names in (cell.partition("=") for cell in _TABLE.split())
}
"""Of each module the distributions that may hold it, the likeliest first."""
