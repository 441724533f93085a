import { HttpApi } from "@effect/platform"
import { Context, Option } from "effect"
import { AdminApi } from "../../src/admin/Api.ts"
import { GatewayApi } from "../../src/Api.ts"
import { ForOperators, OpenedBy } from "../../src/contract/annotations.ts"
import { docsPages } from "../../src/http/docs.ts"
import { ConsoleApi } from "../../src/people/signIn/Api.ts"
import { DevicesContract } from "../../src/people/programs/Api.ts"
import { ToolsContract } from "../../src/people/tools/Api.ts"
import { pagesOf } from "./consolePages.ts"

/** One request that an endpoint or a page answers. */
export interface Place {
  readonly method: string
  readonly path: string
}

const operators = AdminApi.addHttpApi(ConsoleApi).addHttpApi(DevicesContract).addHttpApi(ToolsContract)

const placesOf = (isIncluded: (annotations: Context.Context<never>) => boolean): ReadonlyArray<Place> => {
  const found: Array<Place> = []
  HttpApi.reflect(GatewayApi.addHttpApi(operators), {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      if (!isIncluded(mergedAnnotations)) return
      found.push({ method: endpoint.method, path: endpoint.path.replace(/:\w+/g, "unknown") })
    }
  })
  return found
}

const isOfOperators = (annotations: Context.Context<never>) =>
  Context.get(annotations, OpenedBy) === "admin-key" ||
  Option.getOrElse(Context.getOption(annotations, ForOperators), () => false)

/** Every endpoint that only operators need, read from the contract. */
export const adminEndpoints = placesOf(isOfOperators)

/** All others. */
export const publicEndpoints = placesOf((annotations) => !isOfOperators(annotations))

/** Every page that only operators need. */
export const adminPages: ReadonlyArray<Place> = [
  "/metrics",
  ...Object.keys(docsPages(operators, "/admin")).filter((path) => path.startsWith("/admin")),
  "/console",
  "/console/",
  ...pagesOf.map((page) => `/console/${page}`),
  "/console/index.html"
].map((path) => ({ method: "GET", path }))
