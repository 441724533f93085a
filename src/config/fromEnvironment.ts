import { Either, Redacted } from "effect"
import { BadSettings } from "./document.ts"
import type { Located, DocumentContext } from "./document.ts"
import type { GatewayFile } from "./GatewayFile.ts"
import { wrongBaseUrl } from "./baseUrl.ts"
import { secretReader } from "./SecretFiles.ts"
import { secretVariable } from "./secretVariable.ts"
import { wellKnown } from "./providers/wellKnown.ts"

/**
 * The configuration without a file: providers whose keys are in the environment, with their well-known models. A server at
 * `OPENAI_BASE_URL` lists its own models.
 */
export const fileOf = ({
  env,
  needsSecrets = true
}: DocumentContext): Either.Either<Located<GatewayFile>, BadSettings> => {
  const reader = secretReader(".", needsSecrets)
  const wrong: Array<string> = []
  const upstreams: Record<string, Upstream> = {}
  const models: Record<string, string> = {}
  const add = (name: string, upstream: Upstream, ids: ReadonlyArray<string>) => {
    upstreams[name] = upstream
    for (const id of ids) models[id] = name
  }
  const keyOf = (name: string) => {
    const key = secretVariable(env, name, reader)
    if (Either.isLeft(key)) wrong.push(key.left)
    return Either.isRight(key) && key.right !== undefined ? Redacted.make(key.right) : undefined
  }

  const anthropic = keyOf("ANTHROPIC_API_KEY")
  if (anthropic !== undefined) {
    add(
      "anthropic",
      { protocol: "anthropic-messages", base_url: "https://api.anthropic.com", api_key: anthropic },
      wellKnown.anthropic
    )
  }

  const openai = keyOf("OPENAI_API_KEY")
  const baseUrl = env["OPENAI_BASE_URL"] ?? ""
  const wrongUrl = baseUrl === "" ? undefined : wrongBaseUrl(baseUrl)
  if (wrongUrl !== undefined) wrong.push(`OPENAI_BASE_URL: ${wrongUrl}`)
  if (baseUrl !== "" && URL.parse(baseUrl)?.hostname !== "api.openai.com") {
    const keyed = openai === undefined ? {} : { api_key: openai }
    add("openai", { protocol: "openai-chat", base_url: baseUrl, list_models: true, ...keyed }, [])
  } else if (openai !== undefined) {
    const base_url = "https://api.openai.com/v1"
    add("openai", { protocol: "openai-responses", base_url, api_key: openai }, wellKnown.openai)
  }

  const ark = keyOf("ARK_API_KEY")
  if (ark !== undefined) {
    const base_url = "https://ark.cn-beijing.volces.com/api/v3"
    add("ark", { protocol: "ark-video", base_url, api_key: ark }, wellKnown.ark)
  }

  const [message] = wrong
  return message === undefined
    ? Either.right({
        value: { upstreams, models },
        complain: (_, rule) => new BadSettings({ message: rule }),
        files: reader.files
      })
    : Either.left(new BadSettings({ message }))
}

type Upstream = NonNullable<GatewayFile["upstreams"]>[string]
