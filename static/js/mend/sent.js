// On the page of an upload: what was sent from the grid need not be kept in the browser any longer.
import { sent } from "./kept.js";

sent();
