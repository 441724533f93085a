import type { AccountId } from "../contract/callers/Caller.ts"
import type { RestPart } from "../generation/Rest.ts"
import type { Route } from "./Route.ts"

/**
 * A part of a model's requests that a provider limits by itself. Most requests are in the plain lane, where every field
 * is empty.
 */
export interface Lane {
  /** The tier as the route gets it; empty for the standard one. */
  readonly tier: "" | "flex" | "ultrafast" | "priority"
  readonly isFast: boolean
  /** Above the model's step for long context. */
  readonly isLong: boolean
  readonly makesImages: boolean
  readonly searches: boolean
  /** Input tokens and the most output, as the gateway counts them. */
  readonly size: () => number
}

/** The lane of requests of no particular kind and size. */
export const plainLane: Lane = {
  tier: "",
  isFast: false,
  isLong: false,
  makesImages: false,
  searches: false,
  size: () => 0
}

/** The account that calls, and the lane of its request at a route. */
export interface Requester<R extends Route = Route> {
  readonly account: AccountId
  laneAt(route: R): Lane
  /** True if the client has left: then no further call is begun. Defaults to false. */
  readonly isLeft?: boolean
}

/** The name of a lane; empty for the plain one. */
const nameOfLane = ({ isFast, isLong, makesImages, searches, tier }: Lane): string =>
  tier + (isFast ? " fast" : "") + (isLong ? " long" : "") + (makesImages ? " image" : "") + (searches ? " search" : "")

/** The standard and the priority tier as one. */
const sharing = (lane: Lane): Lane => (lane.tier === "priority" ? { ...lane, tier: "" } : lane)

/**
 * The part that a refusal closes, as far as the request took part in it: what its own tier, speed, length or tools ran
 * into leaves the plain lane open. Undefined if the upstream names a kind of request that it was not.
 */
export const ownPart = (part: RestPart, lane: Lane): RestPart | undefined => {
  switch (part) {
    case "flex":
      return lane.tier === "flex" ? part : undefined
    case "fast":
      return lane.isFast ? part : undefined
    case "long":
      return lane.isLong ? part : undefined
    case "search":
      return lane.searches ? part : undefined
    case "model":
      return lane.isFast ? "fast" : part
    case "group":
      return lane.isFast ? "fast" : nameOfLane(lane) === "" ? part : "lane"
    case "lane":
    case "shared":
    case "tier":
    case "key":
      return part
  }
}

/** The name of a part that rests, at its route. */
export const nameOfPart = (part: RestPart, lane: Lane): string => {
  switch (part) {
    case "lane":
    case "group":
      return `lane ${nameOfLane(lane)}`
    case "shared":
      return `shared ${nameOfLane(sharing(lane))}`
    case "tier":
      return `tier ${lane.tier}`
    case "flex":
    case "fast":
    case "long":
    case "search":
      return part
    case "model":
    case "key":
      return "all"
  }
}

/** The names of all parts that a request in this lane belongs to. */
export const partsOf = (lane: Lane): ReadonlyArray<string> => {
  const names = ["all", nameOfPart("lane", lane), nameOfPart("shared", lane), nameOfPart("tier", lane)]
  if (lane.tier === "flex") names.push("flex")
  if (lane.isFast) names.push("fast")
  if (lane.isLong) names.push("long")
  if (lane.searches) names.push("search")
  return names
}

/** True if the request is flex at one route and would be served at a dearer tier at the other. */
export const isDearer = <R extends Route>(requester: Requester<R>, other: R, route: R): boolean =>
  requester.laneAt(route).tier === "flex" && requester.laneAt(other).tier !== "flex"
