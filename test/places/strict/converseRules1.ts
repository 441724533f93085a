import data from "./data.json"
import { aws } from "./claude.ts"
import { contentOf, converseDocs, everyBlock, hasTools, modelOf } from "./converse.ts"
import { converse, firstOf, isText, list, rule, stranger, words } from "./rule.ts"

rule(
  "converse.field",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_Converse.html`,
  "a field that Converse does not have",
  (ask) => {
    const field = stranger(ask.body, data.fields.converse)
    return field === undefined
      ? undefined
      : `Malformed input request: #: extraneous key [${field}] is not permitted, please reformat your input and try again.`
  }
)

rule(
  "converse.first-role",
  converse,
  "tracker",
  "2025-06",
  "https://github.com/aws-solutions-library-samples/guidance-for-multi-provider-generative-ai-gateway-on-aws/issues/123",
  "a conversation begins with the user",
  (ask) =>
    list(ask.body.messages)[0]?.role === "user"
      ? undefined
      : "A conversation must start with a user message. Try again with a conversation that starts with a user message."
)

rule(
  "converse.roles",
  converse,
  "tracker",
  "2025-06",
  "https://github.com/microsoft/semantic-kernel/issues/10281; https://github.com/langchain-ai/langchain-aws/issues/130",
  "user and assistant alternate",
  (ask) =>
    firstOf(list(ask.body.messages), ({ role }, index) =>
      role === (index % 2 === 0 ? "user" : "assistant")
        ? undefined
        : "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."
    )
)

rule(
  "converse.empty",
  converse,
  "tracker",
  "2026-02",
  "https://github.com/archestra-ai/archestra/pull/4220",
  "no blank texts, no empty content",
  (ask) =>
    firstOf(list(ask.body.messages), (turn, index) => {
      if (contentOf(turn).length === 0)
        return `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`
      return firstOf(contentOf(turn), ({ text }, at) =>
        isText(text) && text.trim() === ""
          ? `The text field in the ContentBlock object at messages.${index}.content.${at} is blank. Add text to the text field, and try again.`
          : undefined
      )
    }) ??
    firstOf(list(ask.body.system), ({ text }, at) =>
      isText(text) && text.trim() === ""
        ? `The text field in the SystemContentBlock object at system.${at} is blank. Add text to the text field, and try again.`
        : undefined
    )
)

rule(
  "converse.tool-config",
  converse,
  "tracker",
  "2025-06",
  "https://github.com/zed-industries/zed/pull/33174; https://github.com/experientiallabs/experiential/issues/399",
  "a history with calls needs tools",
  (ask) =>
    !hasTools(ask) &&
    everyBlock(ask).some(({ toolResult, toolUse }) => toolUse !== undefined || toolResult !== undefined)
      ? "The toolConfig field must be defined when using toolUse and toolResult content blocks."
      : undefined
)

rule(
  "converse.tool-pairs",
  converse,
  "tracker",
  "2025-06",
  "https://github.com/zeroclaw-labs/zeroclaw/pull/1476; https://github.com/langgenius/dify-official-plugins/issues/765",
  "every call has its result in the next turn",
  (ask) => {
    const turns = list(ask.body.messages)
    return firstOf(turns, (turn, index) => {
      const called = contentOf(turn).flatMap(({ toolUse }) => (toolUse === undefined ? [] : [toolUse.toolUseId]))
      if (new Set(called).size !== called.length)
        return `The toolUse blocks at messages.${index}.content contain duplicate Ids: ${called.join(", ")}`
      const answered = contentOf(turns[index + 1]).flatMap(({ toolResult }) => toolResult?.toolUseId ?? [])
      const open = called.filter((id) => !answered.includes(id))
      if (open.length > 0)
        return `Expected toolResult blocks at messages.${index + 1}.content for the following Ids: ${open.join(", ")}`
      return answered.length > called.length
        ? `The number of toolResult blocks at messages.${index + 1}.content exceeds the number of toolUse blocks of previous turn.`
        : undefined
    })
  }
)

rule(
  "converse.tool-name",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_ToolSpecification.html`,
  "names are 1 to 64 letters, digits, _ and -",
  (ask) =>
    firstOf(list(ask.body.toolConfig?.tools), ({ toolSpec }, index) => {
      if (toolSpec === undefined) return undefined
      const at = `toolConfig.tools.${index + 1}.member.toolSpec`
      if (!/^[a-zA-Z0-9_-]+$/.test(toolSpec.name))
        return `1 validation error detected: Value '${toolSpec.name}' at '${at}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`
      if (toolSpec.name.length > 64)
        return `1 validation error detected: Value '${toolSpec.name}' at '${at}.name' failed to satisfy constraint: Member must have length less than or equal to 64`
      return toolSpec.description === ""
        ? `1 validation error detected: Value at '${at}.description' failed to satisfy constraint: Member must have length greater than or equal to 1`
        : undefined
    })
)

rule(
  "converse.tool-id",
  converse,
  "documented",
  "2026-11",
  `${converseDocs}/API_runtime_ToolUseBlock.html`,
  "ids are 1 to 64 characters of one pattern",
  (ask) =>
    firstOf(everyBlock(ask), ({ toolResult, toolUse }) => {
      const id = (toolUse ?? toolResult)?.toolUseId
      return id !== undefined && !/^[a-zA-Z0-9_.:-]{1,64}$/.test(id)
        ? `1 validation error detected: Value '${id}' at 'messages.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+`
        : undefined
    })
)

rule(
  "converse.tool-schema",
  converse,
  "tracker",
  "2026-08",
  "https://github.com/kirodotdev/Kiro/issues/11026",
  "a schema is an object's",
  (ask) =>
    firstOf(list(ask.body.toolConfig?.tools), ({ toolSpec }, index) =>
      toolSpec !== undefined && toolSpec.inputSchema?.json?.type !== "object"
        ? `The value at toolConfig.tools.${index}.toolSpec.inputSchema.json.type must be one of the following: object.`
        : undefined
    )
)

rule(
  "converse.tool-choice",
  converse,
  "documented",
  "2025-12",
  "https://github.com/boto/boto3/issues/4687",
  "auto, any, tool; none is no member",
  (ask) => {
    const choice = ask.body.toolConfig?.toolChoice
    const kind = choice === undefined ? undefined : (Object.keys(choice)[0] ?? "")
    return kind === undefined || ["auto", "any", "tool"].includes(kind)
      ? undefined
      : `Unknown parameter in toolConfig.toolChoice: "${kind}", must be one of: auto, any, tool`
  }
)

rule(
  "converse.forced-tool",
  converse,
  "tracker",
  "2026-04",
  "https://github.com/strands-agents/harness-sdk/issues/1241; https://github.com/langchain-ai/langchain-aws/issues/620",
  "Llama models take no forced tool",
  (ask) => {
    const kind = Object.keys(ask.body.toolConfig?.toolChoice ?? {})[0]
    const { force } = modelOf(ask)
    return (kind === "any" || kind === "tool") && force !== undefined && !words(force).includes(kind)
      ? `This model doesn't support the toolConfig.toolChoice.${kind} field. Remove toolConfig.toolChoice.${kind} and try again.`
      : undefined
  }
)

rule(
  "converse.streamed-tools",
  converse,
  "tracker",
  "2026-04",
  `https://github.com/earendil-works/pi/issues/3739; https://github.com/n8n-io/n8n/issues/14206; https://github.com/strands-agents/harness-sdk/issues/393 and 32; ${aws}/conversation-inference-supported-models-features.html`,
  "Llama, Mistral of 2024, Writer, R1: no tools in streams",
  (ask) =>
    ask.stream && hasTools(ask) && modelOf(ask).streamedTools === false
      ? "This model doesn't support tool use in streaming mode."
      : undefined
)

rule(
  "converse.status",
  converse,
  "documented",
  "2025-07",
  `${converseDocs}/API_runtime_ToolResultBlock.html; https://github.com/strands-agents/harness-sdk/issues/393`,
  "the status of a result is for Claude and Nova alone",
  (ask) =>
    !/claude|nova/.test(ask.model) && everyBlock(ask).some(({ toolResult }) => toolResult?.status !== undefined)
      ? "This model doesn't support the status field. Remove status and try again."
      : undefined
)

rule(
  "converse.tools",
  converse,
  "documented",
  "2026-03",
  `${aws}/conversation-inference-supported-models-features.html`,
  "models without tools",
  (ask) => (hasTools(ask) && modelOf(ask).tools === false ? "This model doesn't support tool use." : undefined)
)

rule(
  "converse.system",
  converse,
  "documented",
  "2026-03",
  `${aws}/conversation-inference-supported-models-features.html`,
  "models without a system prompt",
  (ask) =>
    list(ask.body.system).length > 0 && modelOf(ask).system === false
      ? "This model doesn't support the system field. Remove system and try again."
      : undefined
)
