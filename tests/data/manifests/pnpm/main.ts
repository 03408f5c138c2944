import { ref } from "vue";
import { useMouse } from "@vueuse/core";
