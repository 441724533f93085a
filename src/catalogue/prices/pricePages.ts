/** Providers with the pages of their prices, as they were on this day. */
const day = "2026-11-20"

export const alibaba = {
  provider: "dashscope",
  source: "https://www.alibabacloud.com/help/en/model-studio/models",
  day
}
export const amazon = { provider: "aws", source: "https://aws.amazon.com/bedrock/pricing", day }
export const anthropic = { provider: "anthropic", source: "https://docs.claude.com/en/docs/about-claude/pricing", day }
export const byteplus = { provider: "byteplus", source: "https://docs.byteplus.com/en/docs/ModelArk/1544106", day }
export const cohere = { provider: "cohere", source: "https://cohere.com/pricing", day }
export const deepseek = { provider: "deepseek", source: "https://api-docs.deepseek.com/quick_start/pricing", day }
export const google = { provider: "google", source: "https://ai.google.dev/gemini-api/docs/pricing", day }
export const groq = { provider: "groq", source: "https://groq.com/pricing", day }
export const kling = { provider: "kling", source: "https://kling.ai/document-api", day }
export const minimax = { provider: "minimax", source: "https://platform.minimax.io/docs/guides/pricing-paygo", day }
export const mistral = { provider: "mistral", source: "https://mistral.ai/pricing", day }
export const moonshot = { provider: "moonshotai", source: "https://platform.moonshot.ai/docs/pricing", day }
export const openai = { provider: "openai", source: "https://developers.openai.com/api/docs/pricing", day }
export const volcengine = { provider: "volcengine", source: "https://www.volcengine.com/docs/82379/1544106", day }
export const voyage = { provider: "voyage", source: "https://docs.voyageai.com/docs/pricing", day }
export const xai = { provider: "x-ai", source: "https://docs.x.ai/developers/pricing", day }
export const zai = { provider: "zai", source: "https://docs.z.ai/guides/overview/pricing", day }
