export const signedOut = {
  title: "One address in front of every model.",
  lead: "For OpenAI and Anthropic clients and video tasks. It checks keys, limits and balances, tries routes in order, and accounts for every cent.",
  openai: "OpenAI clients",
  anthropic: "Anthropic clients",
  videos: "Video tasks",
  free: "sandbox-text is free and works offline. The first start printed a key; this makes another: ",
  signIn: "Sign in",
  signInWith: (name: string) => `Sign in with ${name}`,
  key: "Key",
  placeholder: "gw_… or the admin key",
  hint: "The admin key gives access to everything, an API key to its own account: usage, balance, requests, tasks.",
  empty: "Paste a key first.",
  wrong: "This key is not accepted.",
  tooMany: "Too many tries. Wait a minute, then try again.",
  expired: "The session has ended. Sign in again to go on.",
  hereAlone:
    "You are signed out here, but maybe not at your company's sign-in. On a shared computer, sign out there too.",
  serving: "serving"
}
