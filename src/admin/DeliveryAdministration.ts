import { Effect } from "effect"
import { DeliveryList } from "../callbacks/store/DeliveryList.ts"
import type { DeliveryPage } from "../callbacks/store/DeliveryList.ts"
import type { Actor } from "../contract/callers/Acting.ts"
import { Conflict, NotFound } from "../contract/failures/Failure.ts"
import { Changes } from "../sql/Changes.ts"
import { makeChange } from "./change.ts"
import { deliverySummary } from "./DeliverySummary.ts"
import type { DeliverySummary } from "./DeliverySummary.ts"
import { Audit } from "./store/Audit.ts"

/** The operator's view of all accounts' callbacks. */
export class DeliveryAdministration extends Effect.Service<DeliveryAdministration>()(
  "gateway/admin/DeliveryAdministration",
  {
    dependencies: [DeliveryList.Default, Audit.Default, Changes.Default],
    effect: Effect.gen(function* () {
      const deliveries = yield* DeliveryList
      const change = yield* makeChange

      const show = (id: string): Effect.Effect<DeliverySummary, NotFound> =>
        Effect.flatMap(Effect.orDie(deliveries.find(id)), (row) =>
          row === undefined
            ? Effect.fail(new NotFound({ param: null, message: `no delivery "${id}"` }))
            : Effect.succeed(deliverySummary(row))
        )

      /** Newest change first. Callers ask for one row more than a page to detect the next one. */
      const list = (page: DeliveryPage): Effect.Effect<ReadonlyArray<DeliverySummary>> =>
        Effect.orDie(Effect.map(deliveries.list(page), (rows) => rows.map(deliverySummary)))

      /** Schedules the delivery again, now, with the same id and bytes; the change wakes the senders. */
      const redeliver = (actor: Actor, id: string): Effect.Effect<DeliverySummary, NotFound | Conflict> =>
        change({
          actor,
          action: "delivery.redeliver",
          before: Effect.flatMap(show(id), ({ state }) =>
            state === "waiting"
              ? Effect.fail(
                  new Conflict({
                    code: null,
                    message: `${id} waits for an earlier delivery of its task; redeliver that`
                  })
                )
              : Effect.succeed({ state })
          ),
          write: deliveries.redeliver(id),
          after: () => Effect.map(show(id), ({ state }) => ({ state })),
          target: () => id
        }).pipe(Effect.zipRight(show(id)))

      return { list, show, redeliver } as const
    })
  }
) {}
