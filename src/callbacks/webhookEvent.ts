import type { Task } from "../tasks/Task.ts"
import { deliveryId } from "./Delivery.ts"

/** An event in the shape of OpenAI's webhooks (platform.openai.com/docs/guides/webhooks). */
export const webhookEvent = (type: string, { id, updatedAtMs }: Pick<Task, "id" | "updatedAtMs">) => ({
  id: deliveryId(id, type).replace("msg_", "evt_"),
  object: "event",
  created_at: Math.floor(updatedAtMs / 1000),
  type,
  data: { id }
})
