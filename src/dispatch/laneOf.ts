import type { Incoming } from "../contract/handlers.ts"
import { listAt, objectAt, textAt } from "../contract/json/json.ts"
import type { Conversation } from "../generation/Conversation.ts"
import type { Lane } from "../routing/Lane.ts"
import { mostTokens } from "../tokens/tokens.ts"
import type { TextUpstream } from "../upstreams/Upstream.ts"
import type { AdmittedRoute } from "./admit.ts"

interface LaneRequest {
  readonly conversation: Conversation
  readonly request: Pick<Incoming, "body">
  /** Counts the input. */
  readonly inputTokens: () => number
  readonly boundedOutput: number
}

/** The lane of a request at a route, by its fields as the route gets them. */
export const laneOf = (
  work: LaneRequest,
  { endpoint, price, ...route }: AdmittedRoute,
  upstreams: ReadonlyMap<string, TextUpstream>
): Lane => {
  const { conversation } = work
  const { body } = work.request
  const isPassed = endpoint !== undefined
  const carriesTier = isPassed || upstreams.get(route.part)?.carries?.has("serviceTier") === true
  const types = isPassed ? listAt(body, "tools").map((tool) => textAt(tool, "type") ?? "") : []
  const step = price.tiers[0]?.above
  return {
    tier: carriesTier ? tierOf(conversation.serviceTier) : "",
    isFast: isPassed && textAt(body, "speed") === "fast",
    isLong: step !== undefined && mostTokens(conversation) > step && work.inputTokens() > step,
    makesImages: types.includes("image_generation"),
    searches:
      conversation.tools.some(({ type }) => type === "search") ||
      types.some((type) => type.startsWith("web_search")) ||
      (isPassed && objectAt(body, "web_search_options") !== undefined),
    size: () => work.inputTokens() + work.boundedOutput
  }
}

/** Other tiers are served at the standard one, or share its limits. */
const tierOf = (asked: string | undefined): Lane["tier"] => {
  switch (asked?.toLowerCase()) {
    case "flex":
      return "flex"
    case "ultrafast":
      return "ultrafast"
    case "priority":
    case "fast":
      return "priority"
    default:
      return ""
  }
}
