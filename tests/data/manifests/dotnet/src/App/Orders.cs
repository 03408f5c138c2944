using System;
using Newtonsoft.Json.Linq;
using Serilog;

namespace App;
class Orders {}
