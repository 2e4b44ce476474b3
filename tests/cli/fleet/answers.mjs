// SPDX-License-Identifier: MIT
//
// What a server of a small fleet answers to `fleet report`: 24 nodes of which one jumps, one is silent and one has a name that would be
// markup; answerOf(QUERY) is a text.
export const hostile = '</a><img src=x onerror="document.title=1">&\'';
const columns = {
	fleet_coverage: ['nodes_known UInt64', 'nodes_seen UInt64', 'nodes_with_blocks UInt64', 'recordings UInt64', 'nodes_with_hours UInt64'],
	fleet_doc: ['view', 'column', 'unit', 'quality', 'meaning'],
	fleet_fragmenting: ['app', 'release', 'node', 'allocator', 'minutes UInt64', 'minutes_known UInt64', 'minutes_empty UInt64', 'share_empty Float64',
		'carriers_bytes UInt64', 'unused_low_bytes UInt64', 'unused_high_bytes UInt64'],
	fleet_leak: ['app', 'release', 'lives UInt64', 'sentence'],
	fleet_use: ['app', 'release', 'flags', 'nodes UInt64', 'node_days UInt64', 'carriers_p50_bytes UInt64', 'carriers_p90_bytes UInt64',
		'carriers_p99_bytes UInt64', 'most_bytes UInt64', 'utilisation_p50 Float64', 'utilisation_p10 Float64'],
	fleet_release: ['app', 'old_release', 'new_release', 'old_nodes UInt64', 'new_nodes UInt64', 'old_bytes UInt64', 'new_bytes UInt64', 'change Float64',
		'old_p10_bytes UInt64', 'old_p90_bytes UInt64', 'new_p10_bytes UInt64', 'new_p90_bytes UInt64'],
	fleet_saving: ['app', 'tried', 'recordings UInt64', 'nodes UInt64', 'carriers_bytes UInt64', 'saving_low_bytes Float64', 'saving_bytes Float64',
		'saving_high_bytes Float64', 'flags', 'nodes_other UInt64'],
	fleet_holder: ['app', 'allocator', 'type', 'kind', 'holder', 'nodes UInt64', 'sum_bytes UInt64', 'most_bytes UInt64', 'p50_bytes UInt64', 'quality'],
	fleet_silent: ['app', 'release', 'node', 'last_push', 'hours_ago Float64', 'last_verdict'],
	node_last: ['node', 'app', 'release', 'last_seen', 'carriers_bytes UInt64', 'verdict', 'sentence', 'recorded', 'file', 'page', 'page_recorded'],
	node_week: ['node', 'app', 'release', 'hours', 'carriers', 'least', 'most', 'used', 'last Int64', 'has_own UInt8', 'own_low Int64', 'own_high Int64',
		'peers UInt64', 'peers_low Int64', 'peers_high Int64', 'surprise Float64', 'growth Float64'],
};
const MiB = 1048576;
const nodes = ['jump@h', hostile, ...Array.from({ length: 22 }, (_, i) => `n${i}@h`)];
// The silent one has hours of four days; of the last node nothing is known of blocks.
function week(node, i) {
	const hours = Array.from({ length: node === 'n0@h' ? 96 : 168 }, (_, k) => k).filter((k) => k !== 50);
	const level = hours.map((k) => (node === 'jump@h' && k > 163 ? 900 : 200 + i) * MiB);
	return [node, 'shop', 'r1', `[${hours}]`, `[${level}]`, `[${level}]`, `[${level.map((l) => l + MiB)}]`,
		`[${level.map((l) => i === 23 ? -1 : l / 2)}]`, level.at(-1), 1, 200 * MiB, 230 * MiB, 24, 190 * MiB, 240 * MiB, 24 - i, 1];
}
const rows = {
	fleet_coverage: [[24, 23, 22, 30, 20]],
	fleet_fragmenting: [['shop', 'r1', hostile, 'binary_alloc', 900, 900, 800, 0.9, 300 * MiB, 100 * MiB, 120 * MiB]],
	fleet_use: [['shop', 'r1', '', 24, 160, 200 * MiB, 220 * MiB, 230 * MiB, 900 * MiB, 0.5, 0.4]],
	fleet_release: [['shop', 'r0', 'r1', 3, 24, 100 * MiB, 200 * MiB, 1, 1, 2, 3, 4]],
	fleet_saving: [['shop', '+MBas aobf', 1, 24, 4800 * MiB, 100 * MiB, 200 * MiB, 300 * MiB, '', 0]],
	fleet_holder: [['shop', 'binary_alloc', 'binary', 'process', 'cache', 20, 900 * MiB, 90 * MiB, 40 * MiB, 'exact']],
	fleet_silent: [['shop', 'r1', 'n0@h', '2026-01-01 00:00:00', 72, 'normal']],
	node_last: nodes.map((node, i) => [node, 'shop', 'r1', '2026-01-01 00:00:00', 200 * MiB, 'normal', '', '2026-01-01 00:00:00', 'a.db',
		i === 0 ? 'https://pages.invalid/jump.html' : i === 1 ? 'javascript:alert(1)' : '', '']),
	node_week: nodes.map(week),
};
const field = (value) => String(value).replaceAll('\\', '\\\\').replaceAll('\t', '\\t').replaceAll('\n', '\\n');

export function answerOf(query) {
	if (query.startsWith('SELECT max(version)')) {
		return '5\n';
	}
	const name = /^SELECT \* FROM (\w+) FORMAT/.exec(query)?.[1] ?? (query.includes('AS surprise') ? 'node_week' : 'node_last');
	const heads = columns[name].map((column) => [...column.split(' '), 'String']);
	return [heads.map(([head]) => head), heads.map(([, type]) => type), ...(rows[name] ?? [])].map((row) => `${row.map(field).join('\t')}\n`).join('');
}
