import { Schema } from "effect"

/** One try to deliver a callback. Nothing of the receiver's answer but its status is kept. */
export const DeliveryAttempt = Schema.Struct({
  attempted_at: Schema.Int.annotations({ description: "Unix seconds." }),
  duration_ms: Schema.Int,
  http_status: Schema.NullOr(Schema.Int).annotations({ description: "The receiver's status; null where none came." }),
  reason: Schema.NullOr(Schema.String).annotations({
    description: "Why the attempt failed (`timeout`, `address refused`, …); null where it did not."
  })
}).annotations({ identifier: "VideoDeliveryAttempt" })

/** A callback of a task: one for each change of its status. */
export const Delivery = Schema.Struct({
  id: Schema.String.annotations({ description: "The `webhook-id`, the same on every attempt." }),
  task_status: Schema.String.annotations({ description: "The status that the callback tells." }),
  state: Schema.Literal("pending", "delivered", "failed", "superseded").annotations({
    description:
      "`failed`: every attempt failed, or the receiver answered 410. `superseded`: a newer status made it pointless."
  }),
  created_at: Schema.Int.annotations({ description: "Unix seconds." }),
  next_attempt_at: Schema.NullOr(Schema.Int).annotations({ description: "Unix seconds; null where none is planned." }),
  attempts: Schema.Array(DeliveryAttempt)
}).annotations({ identifier: "VideoDelivery" })

/** A task's callbacks, oldest first. */
export const DeliveryList = Schema.Struct({ items: Schema.Array(Delivery) }).annotations({
  identifier: "VideoDeliveryList"
})
