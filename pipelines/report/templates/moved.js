// What had pages of its own: results, printed places, further parts of long tables.
const rules = [[/(?:result|evidence)\/[^/]+\/([^/]+)\.html$/, "result.html#$1"], [/((?:model|platform)\/[^/]+)-results-\d+-\d+\.html$/, "$1.html"]];
const [from, to] = rules.find(([old]) => old.test(location.pathname)) ?? [];
if (from) location.replace(location.pathname.replace(from, to));
