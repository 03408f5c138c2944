import axios from "axios";
import kit from "@scope/kit/button";
