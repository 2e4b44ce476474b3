// SPDX-License-Identifier: MIT
//
// node stub.mjs MODE [NUMBER [PORT]]: a server that is not what it should be; prints its port.
//
//   silent         takes requests and answers none
//   page           answers each with a web page
//   redirect       sends each elsewhere
//   slow           answers a byte every tenth of a second, and never all
//   proxy          answers the first NUMBER as a fleet does, and the others with a web page
//   loses          takes insertions and stores nothing
//   full           answers the first NUMBER as a fleet does; the others are too large for it
//   tables         what `fleet init` asks, as a new ClickHouse with tables of version NUMBER, 0: without; a line of $ROWS for each statement
//   answers        what `fleet report` asks, as answers.mjs has it
//   broken         answers the first, then half of an answer
//   before, after  hands requests on to the server at PORT; the one with the NUMBER (from 1) is cut off before or
//                  after that server has seen it
//   kill           the same, but hands all on; before that NUMBER the process $VICTIM is killed
//   tls            a page over https, with the key and certificate $KEY and $CERTIFICATE
//   takes          pushes as a fleet does, at PORT: a line "TABLE<tab>ROW" to file $ROWS for each row
import http from 'node:http';
import https from 'node:https';
import { appendFileSync, readFileSync } from 'node:fs';

import { answerOf } from './answers.mjs';

const [mode, number = '0', port = '0'] = process.argv.slice(2);
let requests = 0;

function handOn(request, response, isLost) {
	const inner = http.request({ host: '127.0.0.1', port: Number(port), path: request.url, method: request.method,
		headers: request.headers }, (answer) => {
		const parts = [];
		answer.on('data', (part) => parts.push(part));
		answer.on('end', () => {
			if (isLost) {
				request.socket.destroy();
			} else {
				response.writeHead(answer.statusCode, { 'content-type': 'text/plain' });
				response.end(Buffer.concat(parts));
			}
		});
	});
	inner.on('error', () => request.socket.destroy());
	request.pipe(inner);
}

// Of each recording that it took the content of the last push.
const contents = new Map();

function takes(query, body) {
	const table = /^INSERT INTO (\w+) /.exec(query)?.[1];
	for (const row of table ? body.split('\n').slice(0, -1) : []) {
		appendFileSync(process.env.ROWS, `${table}\t${row}\n`);
		if (table === 'recording') {
			const [push, recording] = row.split('\t');
			contents.set(recording, String(BigInt(push) >> 24n));
		}
	}
	if (table) {
		return '';
	}
	if (/^SELECT uniqExact/.test(body)) {
		return `${/ recording IN \(([\d, ]+)\)/.exec(body)[1].split(', ').filter((one) => contents.has(one)).length}\n`;
	}
	const asked = / recording IN \(([\d, ]+)\)/.exec(body)?.[1].split(', ');
	const counts = new Map();
	for (const recording of asked ?? []) {
		const content = contents.get(recording);
		if (content) {
			counts.set(content, (counts.get(content) ?? 0) + 1);
		}
	}
	return asked ? [...counts].map(([content, count]) => `${content}\t${count}\t-9\n`).join('') : '5\n';
}

function answer(request, response) {
	requests++;
	switch (mode) {
	case 'silent':
		break;
	case 'redirect':
		response.writeHead(302, { location: 'http://127.0.0.1:1/' });
		response.end();
		break;
	case 'slow':
		response.writeHead(200, { 'content-type': 'text/plain' });
		setInterval(() => response.write('1'), 100);
		break;
	case 'broken':
		response.writeHead(200, { 'content-length': 100 });
		response.write('1\n');
		setTimeout(() => request.socket.destroy(), 50);
		break;
	case 'tables': {
		const query = new URL(request.url, 'http://stub').searchParams.get('query');
		appendFileSync(process.env.ROWS, `${query.replaceAll('\n', ' ')}\n`);
		response.statusCode = query.includes('fleet_version') && query.startsWith('SELECT') && number === '0' ? 404 : 200;
		response.end(response.statusCode === 404 ? 'Code: 60. DB::Exception: there is none' : query.includes('version()') ? '26.7.1.1\n'
			: query.startsWith('SELECT max(version)') ? `${number}\n` : query.startsWith('SELECT count()') ? '0\n' : '');
		break;
	}
	case 'answers':
		response.end(answerOf(new URL(request.url, 'http://stub').searchParams.get('query')));
		break;
	case 'proxy':
		response.end(requests > Number(number) ? '<html>hello</html>' : requests === 1 ? '5\n' : '');
		break;
	case 'loses': {
		const parts = [];
		request.on('data', (part) => parts.push(part));
		request.on('end', () => response.end(requests === 1 ? '5\n'
			: /^SELECT uniqExact/.test(Buffer.concat(parts).toString()) ? '0\n' : ''));
		break;
	}
	case 'full':
		response.statusCode = requests > Number(number) ? 413 : 200;
		response.end(requests === 1 ? '5\n' : '');
		break;
	case 'takes': {
		const parts = [];
		request.on('data', (part) => parts.push(part));
		request.on('end', () => response.end(takes(new URL(request.url, 'http://stub').searchParams.get('query'),
			Buffer.concat(parts).toString())));
		break;
	}
	case 'kill':
		if (requests === Number(number)) {
			process.kill(Number(process.env.VICTIM), 'SIGKILL');
		}
		handOn(request, response, false);
		break;
	case 'before':
	case 'after':
		if (requests === Number(number) && mode === 'before') {
			request.socket.destroy();
		} else {
			handOn(request, response, requests === Number(number));
		}
		break;
	default:
		response.end('<html>hello</html>');
	}
}

const server = mode === 'tls'
	? https.createServer({ key: readFileSync(process.env.KEY), cert: readFileSync(process.env.CERTIFICATE) }, answer)
	: http.createServer(answer);
server.listen(mode === 'takes' ? Number(port) : 0, '127.0.0.1', () => console.log(server.address().port));
