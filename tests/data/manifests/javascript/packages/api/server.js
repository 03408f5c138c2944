const fastify = require("fastify");
const { pick } = require('lodash');
