import { bearer } from "../../Endpoint.ts"
import type { Placeable, Placed } from "../../Endpoint.ts"
import { awsEventStream } from "../../framing/awsEventStream.ts"
import type { AwsMessage } from "../../framing/awsEventStream.ts"
import type { Frame } from "../../framing/Framing.ts"
import { bytesAlone } from "../../files/inlineFiles.ts"
import { awsError } from "../awsErrors.ts"
import { bedrockListing } from "../bedrockModels.ts"
import type { Protocol } from "../Protocol.ts"
import { converseDefaults } from "../servedDefaults.ts"
import { takesDocument } from "./media.ts"
import { signs } from "./messages.ts"
import { fates } from "./fates.ts"
import { lower } from "./request.ts"
import type { ConverseState } from "./state.ts"
import { begin, end, frames, step } from "./step.ts"
import { unsigned } from "./unsigned.ts"

/**
 * Bedrock's Converse and ConverseStream, which all of its text models speak. Sources: AWS's API reference,
 * `@aws-sdk/client-bedrock-runtime`.
 */
export const bedrockConverse: Protocol<ConverseState> = {
  endpoint: {
    version: "",
    path: "/converse",
    headers: bearer,
    placed: ({ body, headers }: Placeable): Placed => {
      const { model, stream, ...rest } = body
      const verb = stream === true ? "converse-stream" : "converse"
      return { path: `/model/${encodeURIComponent(String(model))}/${verb}`, body: rest, headers }
    }
  },
  models: "/models",
  ...bedrockListing,
  framing: awsEventStream((message) => frameOf(message)),
  searches: false,
  signs,
  fates,
  takesDocument,
  fetches: bytesAlone,
  lower,
  withDefaults: converseDefaults,
  unsigned,
  begin,
  step,
  end,
  frames
}

/** The event as the SDKs show it: an object with its name as the only key. */
const frameOf = (message: AwsMessage): Frame => {
  const { name, payload, type } = message
  if (type === "exception") return { event: "error", data: awsError(message) }
  return { event: name, data: `{${JSON.stringify(name)}:${payload === "" ? "{}" : payload}}` }
}
