// The pages, listed here and nowhere else: name in the address, title, and the key after `g`.
export const pages = [
  { page: "projects", key: "p", title: "Projects" },
  { page: "charts", key: "c", title: "Charts" },
  { page: "table", key: "t", title: "Table" },
  { page: "compare", key: "d", title: "Compare" },
  { page: "media", key: "m", title: "Media" },
  { page: "distributions", key: "h", title: "Distributions" },
  { page: "hparams", key: "y", title: "Hyperparameters" },
  { page: "system", key: "s", title: "System" },
  { page: "graph", key: "a", title: "Graph" },
  { page: "profile", key: "f", title: "Profile" },
  { page: "settings", key: ",", title: "Settings" },
  // Reached through a run, not by a key.
  { page: "run", key: "", title: "Run" },
] as const;

export type Page = (typeof pages)[number]["page"];

export const isPage = (name: string): name is Page => pages.some(({ page }) => page === name);

export const titleOfPage = (name: Page): string =>
  pages.find(({ page }) => page === name)?.title ?? "";

/** The pages that a person goes to from anywhere. */
export const pageKeys = pages.filter(({ key }) => key !== "");
