import axios from "axios";
