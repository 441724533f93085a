import type { FakeName } from "../../../upstreams/fakes/fakeUpstream.ts"
import { callersOf } from "../callers.ts"
import type { Family } from "../callers.ts"
import { models } from "../world.ts"
import type { World } from "../world.ts"
import type { Cell } from "./Case.ts"

/** A cell in front of a scripted upstream, which plays everything and tells what it was asked. */
export const scriptedCell = (world: World, family: Family, protocol: FakeName, stream: boolean): Cell => ({
  family,
  protocol,
  stream,
  caller: callersOf(world)[family],
  model: () => models[protocol],
  heard: world.heard,
  sent: () => JSON.stringify(world.asked(protocol).body)
})
