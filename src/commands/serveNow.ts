import { Option } from "effect"
import { exitCodeOf } from "./exitCodes.ts"
import { runToEnd } from "./runToEnd.ts"
import { serving } from "./serving.ts"
import { reportErrors } from "./reportErrors.ts"

/**
 * Serves until it is told to stop: `gateway serve` without an option, as nearly every gateway is started. The library that
 * reads command lines is not loaded for it, which took a twentieth of the start.
 */
export const serveNow = (): void => runToEnd(reportErrors(serving(Option.none())), exitCodeOf)
