import { sessionHeaders } from "../contract/callers/conversationOf.ts"
import { routeHeader } from "./chosenRoutes.ts"

/** Request headers that decide the routes of a request. A task keeps them. */
export const routingHeaders: ReadonlyArray<string> = [routeHeader, ...sessionHeaders]
