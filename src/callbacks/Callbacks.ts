import { Layer } from "effect"
import { CallbackOutbox } from "./CallbackOutbox.ts"
import { Deliveries } from "./Deliveries.ts"
import { DeliveryStore } from "./store/DeliveryStore.ts"
import { DeliveryWake } from "./DeliveryWake.ts"
import { RedeliveriesLive } from "./redeliveries.ts"
import { SenderLive } from "./sender.ts"

/** All of callbacks: the tasks' `Outbox`, the owner's `Deliveries` and the sender, over one store. */
export const CallbacksLive = Layer.mergeAll(CallbackOutbox, Deliveries.Default, SenderLive, RedeliveriesLive).pipe(
  Layer.provide(Layer.merge(DeliveryStore.Default, DeliveryWake.Default))
)
