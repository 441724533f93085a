import { Schedule } from "effect"

/** After a failure: from 100 ms, doubling to 3 s, with jitter: what an outage stops goes on within five seconds. */
export const backoff = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("3 seconds")),
  Schedule.jittered
)

/** After a failure of what somebody waits for. */
export const everySecond = Schedule.spaced("1 second")
