<?php
namespace Shop;

use GuzzleHttp\Client as Http;
use Symfony\Component\HttpFoundation\Request;

class Client {}
