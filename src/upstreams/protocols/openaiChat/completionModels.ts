/** OpenAI's few models that are not asked by chat, and those that are tuned from them. */
export const openaiCompletions = /-instruct|(^|[/:])(davinci|babbage)-002/
