export const signedOut = {
  title: "One address in front of every model.",
  lead:
    "OpenAI and Anthropic clients and video tasks come in here. Keys, limits and balances are checked, routes are tried " +
    "in order, and every cent can be explained afterwards.",
  openai: "OpenAI clients",
  anthropic: "Anthropic clients",
  videos: "Video tasks",
  free: "sandbox-text is free and works offline. The first start printed a key; this makes another: ",
  signIn: "Sign in",
  key: "Key",
  placeholder: "gw_… or the admin key",
  hint: "The admin key opens everything. An API key opens its own account: usage, balance, requests, tasks.",
  empty: "Paste a key first.",
  wrong: "This key opens nothing here.",
  tooMany: "Too many tries. Wait a minute, then try again.",
  expired: "The session has ended. Sign in again to go on.",
  serving: "serving"
}
