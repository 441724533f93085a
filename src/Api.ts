import { HttpApi, OpenApi } from "@effect/platform"
import { version } from "../package.json"
import { AccountApi } from "./account/Api.ts"
import { MessageBatchesApi } from "./batches/messages/Api.ts"
import { BatchesApi } from "./batches/openai/Api.ts"
import { ChatApi } from "./chat/Api.ts"
import { CompletionsApi } from "./chat/completions/Api.ts"
import { withoutDecodeError } from "./contract/failures/withoutDecodeError.ts"
import { EmbeddingsApi } from "./embeddings/Api.ts"
import { RerankApi } from "./rerank/Api.ts"
import { AudioApi } from "./audio/Api.ts"
import { ImagesApi } from "./images/Api.ts"
import { HealthApi } from "./health/Api.ts"
import { McpApi } from "./mcp/endpoint/Api.ts"
import { MessagesApi } from "./messages/Api.ts"
import { ModerationsApi } from "./moderations/Api.ts"
import { ModelsApi } from "./catalogue/Api.ts"
import { ConversationsApi } from "./responses/conversations/Api.ts"
import { ResponsesApi } from "./responses/Api.ts"
import { TasksApi } from "./messages/async/Api.ts"
import { FilesApi } from "./files/Api.ts"
import { StoredFilesApi, UploadsApi } from "./storedFiles/Api.ts"
import { VideosApi } from "./videos/Api.ts"
import { OpenAIVideosApi } from "./videos/openai/Api.ts"

/** The whole contract. Imports nothing of the server, so a client can be derived from it anywhere. */
export const GatewayApi = withoutDecodeError(
  HttpApi.make("gateway")
    .add(ResponsesApi)
    .add(ConversationsApi)
    .add(MessagesApi)
    .add(ChatApi)
    .add(CompletionsApi)
    .add(EmbeddingsApi)
    .add(RerankApi)
    .add(ModerationsApi)
    .add(ImagesApi)
    .add(AudioApi)
    .add(MessageBatchesApi)
    .add(BatchesApi)
    .add(McpApi)
    .add(TasksApi)
    .add(VideosApi)
    .add(OpenAIVideosApi)
    .add(FilesApi)
    .add(StoredFilesApi)
    .add(UploadsApi)
    .add(ModelsApi)
    .add(AccountApi)
    .add(HealthApi)
)
  .annotate(OpenApi.Title, "Model Gateway")
  .annotate(OpenApi.Version, version)
  .annotate(
    OpenApi.Description,
    `One address in front of every model: OpenAI-style responses and chat completions, Anthropic-style
messages, video tasks in Ark's and OpenAI's style.

Every request carries an API key, as \`Authorization: Bearer <API_KEY>\` or \`x-api-key\`. The official client libraries
work unchanged: give them this address and the key.

- **Unknown fields are ignored, and \`null\` means absent**, so a client may send what a newer version of its dialect has.
- **Failures** have the shape of their dialect: \`{"error": {"code", "message", "param", "type"}}\`, for messages
  \`{"type": "error", "error": {"type", "message"}, "request_id"}\`. The message names the field and what is allowed.
- **Every answer** carries its request id as \`x-request-id\` and \`request-id\`.
- **The sandbox** (\`sandbox-text\`, \`sandbox-embed\`, \`sandbox-video\`) answers deterministically, offline and free of charge.`
  )
