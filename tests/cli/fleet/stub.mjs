// SPDX-License-Identifier: MIT
//
// node stub.mjs MODE [NUMBER [PORT]]: a server that is not what it should be; prints its port.
//
//   silent         takes requests and answers none
//   page           answers each with a web page
//   redirect       sends each elsewhere
//   broken         answers the first, then half of an answer
//   before, after  hands requests on to the server at PORT; the one with the NUMBER (from 1) is cut off before or
//                  after that server has seen it
//   tls            a page over https, with the key and certificate $KEY and $CERTIFICATE
import http from 'node:http';
import https from 'node:https';
import { readFileSync } from 'node:fs';

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

function answer(request, response) {
	requests++;
	switch (mode) {
	case 'silent':
		break;
	case 'redirect':
		response.writeHead(302, { location: 'http://127.0.0.1:1/' });
		response.end();
		break;
	case 'broken':
		response.writeHead(200, { 'content-length': 100 });
		response.write('1\n');
		setTimeout(() => request.socket.destroy(), 50);
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
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
