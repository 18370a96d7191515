// Placeholder until the pages that need it arrive.
export {};
