import { HttpApi, OpenApi } from "@effect/platform"
import type { HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"
import { version } from "../package.json"
import { HealthApi } from "./health/Api.ts"
import { MessagesApi } from "./messages/Api.ts"
import { ModelsApi } from "./models/Api.ts"
import { ResponsesApi } from "./responses/Api.ts"
import { TasksApi } from "./tasks/Api.ts"
import { FilesApi } from "./upstreams/sandbox/video/FilesApi.ts"
import { VideosApi } from "./videos/Api.ts"

/** `HttpApi.make` declares its own decode error for every endpoint; ours are the families' and nothing else. */
const withoutDecodeError = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): HttpApi.HttpApi<Id, Groups> =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the class keeps E in its type only
  Object.assign(api, { errorSchema: Schema.Never }) as never

/** The whole contract. Imports nothing of the server, so a client can be derived from it anywhere. */
export const GatewayApi = withoutDecodeError(
  HttpApi.make("gateway")
    .add(ResponsesApi)
    .add(MessagesApi)
    .add(VideosApi)
    .add(FilesApi)
    .add(TasksApi)
    .add(ModelsApi)
    .add(HealthApi)
)
  .annotate(OpenApi.Title, "Model Gateway")
  .annotate(OpenApi.Version, version)
  .annotate(
    OpenApi.Description,
    "One address in front of every model: OpenAI-style responses, Anthropic-style messages, Ark-style video tasks."
  )
