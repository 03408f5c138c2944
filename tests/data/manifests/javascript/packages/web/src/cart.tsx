import { useQuery } from "@tanstack/react-query";
import debounce from 'lodash/debounce';
import "./cart.css";
import fs from "node:fs";
export const Cart = () => useQuery({ queryKey: ["cart"] });
