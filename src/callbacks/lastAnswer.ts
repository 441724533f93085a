import { Option, Schema } from "effect"
import { DeliveryAttempt } from "./DeliveryRecord.ts"

/** The receiver's last answer to any change of a task, as far as it concerns the next change. */
interface LastAnswer {
  /** It was a 410. */
  readonly isGone: boolean
  /** The end of its `Retry-After` in Unix ms; 0 without one. */
  readonly quietUntilMs: number
}

/** @param attempts the attempts of each of the task's deliveries as stored, oldest change first */
export const lastAnswer = (attempts: ReadonlyArray<string>): LastAnswer => {
  const all = attempts.flatMap((stored) => Option.getOrElse(decode(stored), () => []))
  const answered = all.filter(({ status }) => status !== undefined)
  const last = answered.reduce((latest, one) => (one.at >= latest.at ? one : latest), answered[0] ?? none)
  return { isGone: last.status === 410, quietUntilMs: (last.not_before ?? 0) * 1000 }
}

const none: DeliveryAttempt = { at: 0, duration_ms: 0 }

const decode = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(DeliveryAttempt)))
