export const patch = '*** Begin Patch\n*** Add File: a.txt\n+hello "you"\n*** End Patch'

/** OpenAI tells a namespace in a field of its own, and has calls of free text. */
export const asResponses = (json: unknown, isCustom: boolean): unknown =>
  JSON.parse(
    isCustom
      ? JSON.stringify(json)
          .replaceAll('"function_call"', '"custom_tool_call"')
          .replaceAll('"fc_51"', '"ctc_51"')
          .replaceAll(/"arguments":/g, '"input":')
          .replaceAll("response.function_call_arguments", "response.custom_tool_call_input")
      : JSON.stringify(json).replaceAll('"name":"list_events"', '"name":"list_events","namespace":"mcp__calendar"')
  )

export const object = (properties: object, required: ReadonlyArray<string> = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

export const nativeOf = { messages: "anthropic-messages", responses: "openai-responses" } as const
