#!/usr/bin/env node
'use strict';

const path = require('path');
import fs from 'fs';

const LIMIT = 10, OTHER = 20;

/**
 * Adds.
 */
function add(a, b) {
  const twice = (x) => x * 2;
  return twice(a) + b;
}

export default function () {
  return 1;
}

export const wide = async (
  a,
  b,
) => {
  return a;
};

export class Box extends Base {
  static count = 0;
  #secret = 1;

  handle = (event) => {
    return event;
  };

  constructor(x) {
    super(x);
  }

  get size() { return this.x; }
  set size(v) { this.x = v; }

  static async *items() {
    yield 1;
  }

  #hidden() {}
}

exports.foo = function foo() {};
module.exports = function main() {
  return 2;
};
Box.prototype.open = function () {
  return 3;
};
app.use = function use(fn) {};

const api = {
  get(url) { return url; },
  put: function (url) {
    return url;
  },
  post: (url) => url,
  'dash-ed': () => 1,
};

function* numbers() {
  yield 1;
}

(function () {
  function inside() {
    return 1;
  }
  var later = function () {};
})();

const View = () => <div onClick={() => add(1)}><Box /></div>;
const Klass = class extends Box {
  run() {}
};
