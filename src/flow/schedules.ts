import { Schedule } from "effect"

/** After a failure: 100 ms, doubling to 3 s, with jitter, so that work resumes within five seconds of an outage. */
export const backoff = Schedule.exponential("100 millis").pipe(
  Schedule.union(Schedule.spaced("3 seconds")),
  Schedule.jittered
)

/** After a failure that a user is waiting on. */
export const everySecond = Schedule.spaced("1 second")
