/** Texts by names that come from elsewhere. */
const named = (texts: Readonly<Record<string, string>>) => texts

export const pages = {
  overview: "Overview",
  requests: "Requests",
  tasks: "Tasks",
  keys: "Keys",
  accounts: "Accounts",
  models: "Models",
  tools: "Tools",
  playground: "Playground",
  audit: "Audit"
}

export const titles = named({
  overview: "Overview",
  requests: "Requests",
  tasks: "Tasks",
  keys: "Keys",
  accounts: "Accounts",
  models: "Models",
  tools: "Tools",
  playground: "Playground",
  audit: "Audit",
  sessions: "Sessions",
  device: "Sign in a program",
  consent: "Let a program use your tools"
})

export const frame = {
  label: "Console",
  account: "Account",
  skip: "To the content",
  shortcuts: "Shortcuts",
  theme: "Theme",
  signOut: "Sign out",
  signedIn: (name: string, role: string, left: string) => `${name === "" ? "" : `${name}, `}${role}, ${left} left`,
  holder: (account: string, left: string) => `${account}, ${left} left`,
  live: "Live",
  liveTitle: "New rows as they come (l)"
}

export const help = {
  title: "Shortcuts",
  search: "Search",
  list: "This list",
  goTo: (page: string) => `Go to ${page}`,
  rows: "Next, previous row",
  open: "Open row",
  close: "Leave a field, close",
  create: "Create",
  live: "Live on, off",
  times: "Times: ages or clock",
  copy: "Copy the id",
  theme: "Theme",
  send: "Send",
  chart: "Move along a chart",
  zoom: "Select and zoom"
}
