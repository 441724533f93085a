import { Option } from "effect"
import { exitCodeOf } from "./exitCodes.ts"
import { runToEnd } from "./runToEnd.ts"
import { serveUntilStopped } from "./serveUntilStopped.ts"
import { reportErrors } from "./reportErrors.ts"

/**
 * `gateway serve` without options, as nearly every gateway is started. It does not load `@effect/cli`, which took 5 % of the
 * start.
 */
export const serveNow = (): void => runToEnd(reportErrors(serveUntilStopped(Option.none())), exitCodeOf)
