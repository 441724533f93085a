import { Clock, Effect } from "effect"
import { it } from "vitest"
import { deadReceiver, receiver } from "../callbacks/receivers.ts"
import { createTask, openGuard, sending } from "../callbacks/world.ts"
import { keeps } from "./keeps.ts"

/** The longest of twenty first attempts, in ms, while another receiver is dead and has a thousand deliveries to come. */
const longest = Effect.gen(function* () {
  const dead = yield* deadReceiver
  const { port, received, until } = yield* receiver(() => ({ status: 200 }))
  yield* Effect.forEach(
    Array.from({ length: 1_000 }).keys(),
    (i) => createTask(`dead${i}`, `http://dead.test:${dead.port}/`),
    {
      concurrency: 100,
      discard: true
    }
  )
  while (dead.held() < 4) yield* Effect.sleep("5 millis")
  let most = 0
  for (let i = 0; i < 20; i++) {
    const createdAtMs = yield* Clock.currentTimeMillis
    yield* createTask(`live${i}`, `http://live.test:${port}/`)
    yield* until(i + 1)
    most = Math.max(most, (received[i]?.atMs ?? Infinity) - createdAtMs)
  }
  return most
}).pipe(Effect.provide(sending(openGuard)), Effect.scoped)

it("a dead receiver with 1,000 deliveries delays another's first attempt by less than 2 s", () =>
  keeps("a first attempt beside a dead receiver", 2_000, () => Effect.runPromise(longest)))
