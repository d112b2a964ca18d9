//! Connections that send nothing, or too little: they are closed, and others are answered meanwhile.

mod support;

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use hclvm_authorization::Settings;
use support::{ALLOWED, Service, check, message, status};
use tonic::transport::Endpoint;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

const POLICY: &str = "rule \"all\" {\n  when   = request.method != \"PUT\"\n  effect = \"allow\"\n}\n";
const ASK: &str = "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
const ASK_AND_STAY: &str = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";

/// What a client sends that is no request: nothing, half a header, half and all of the preface of HTTP/2, and the
/// preface with half the frame of a request.
const TOO_LITTLE: [&[u8]; 5] = [
    b"",
    b"GET / HTTP/1.1\r\nhost: a\r\nx-user: a",
    b"PRI * HTTP/2.0\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0\0\0\x10\x01\x04\0\0\0\x01\x82",
];

fn open(address: SocketAddr, sent: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
    stream.write_all(sent).expect("it reads");
    stream
}

/// Waits until the service closes a connection. Fails if it does not.
fn wait_for_end(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("it stays open: {error}"),
        _ => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

/// Runs what blocks.
async fn blocking<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(run).await.expect("it ends")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_without_a_request_are_closed() {
    let header_time = Duration::from_millis(300);
    let settings = Settings { connections: TOO_LITTLE.len(), header_time, ..Settings::default() };
    let service = Service::start_with(POLICY, settings).await;
    let addresses = [service.server.http_address(), service.server.grpc_address()];
    let admin = service.server.admin_address().expect("it is served");
    let streams: Vec<TcpStream> = addresses
        .into_iter()
        .flat_map(|address| TOO_LITTLE.map(|sent| open(address.expect("it is served"), sent)))
        .chain([open(admin, b"")])
        .collect();
    // All places are taken; further connections wait for one.
    assert_eq!(service.http(ASK).await.status, 200);
    let mut client = service.client().await;
    assert_eq!(status(&check(&mut client, message("GET", "/", &[])).await), ALLOWED);
    blocking(move || streams.into_iter().for_each(|stream| drop(wait_for_end(stream)))).await;
    assert_eq!(service.admin("/healthz").await.status, 200);
}

#[tokio::test]
async fn each_address_has_connections_of_its_own() {
    let settings = Settings { connections: 2, ..Settings::default() };
    let service = Service::start_with(POLICY, settings).await;
    let [http, grpc] = [service.server.http_address(), service.server.grpc_address()];
    let (http, grpc) = (http.expect("it is served"), grpc.expect("it is served"));
    let begin = Instant::now();
    let silent = [open(http, b""), open(http, b"")];
    let mut client = service.client().await;
    assert_eq!(status(&check(&mut client, message("GET", "/", &[])).await), ALLOWED);
    assert_eq!(service.admin("/readyz").await.status, 200);
    drop((silent, client));
    let _silent = [open(grpc, b""), open(grpc, b"")];
    assert_eq!(service.http(ASK).await.status, 200);
    assert_eq!(service.admin("/readyz").await.status, 200);
    assert!(begin.elapsed() < Settings::default().header_time, "nothing waited for a place");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_are_closed() {
    let idle_time = Duration::from_millis(600);
    let service = Service::start_with(POLICY, Settings { idle_time, ..Settings::default() }).await;
    let (http, grpc) = (service.server.http_address(), service.server.grpc_address());
    let http = http.expect("it is served");
    let answers = blocking(move || {
        let mut stream = open(http, ASK_AND_STAY.as_bytes());
        for _ in 0..3 {
            std::thread::sleep(idle_time / 3);
            stream.write_all(ASK_AND_STAY.as_bytes()).expect("it is open");
        }
        // The beginning of a request is none.
        stream.write_all(b"GET / HT").expect("it is open");
        wait_for_end(stream)
    });
    assert_eq!(answers.await.matches("HTTP/1.1 200").count(), 4);

    // A client that watches answers pings, and asks for nothing.
    let channel = Endpoint::from_shared(format!("http://{}", grpc.expect("it is served")));
    let mut health = HealthClient::new(channel.expect("an address").connect().await.expect("it listens"));
    let request = HealthCheckRequest { service: String::new() };
    let mut watched = health.watch(request.clone()).await.expect("a stream").into_inner();
    assert_eq!(watched.message().await.expect("a message").expect("a status").status, 1);
    let end = tokio::time::timeout(Duration::from_secs(20), watched.message()).await.expect("it ends");
    assert!(!matches!(end, Ok(Some(_))), "{end:?}");
    // Its client notices the end with the first request after it, and connects again.
    let _ = health.check(request.clone()).await;
    assert_eq!(health.check(request).await.expect("an answer").into_inner().status, 1);
}

#[tokio::test]
async fn a_request_that_has_begun_may_take_longer() {
    let header_time = Duration::from_millis(100);
    let service = Service::start_with(POLICY, Settings { header_time, ..Settings::default() }).await;
    let http = service.server.http_address().expect("it is served");
    let answer = blocking(move || {
        let head = b"POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 4\r\n\r\n12";
        let mut stream = open(http, head);
        std::thread::sleep(header_time * 4);
        stream.write_all(b"34").expect("it is open");
        wait_for_end(stream)
    });
    assert!(answer.await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn a_first_request_may_take_longer_than_a_later_one() {
    let (header_time, idle_time) = (Duration::from_secs(20), Duration::from_millis(100));
    let settings = Settings { header_time, idle_time, ..Settings::default() };
    let service = Service::start_with(POLICY, settings).await;
    let http = service.server.http_address().expect("it is served");
    for sent in [0, 5, ASK.len() - 5] {
        let answer = blocking(move || {
            let mut stream = open(http, &ASK.as_bytes()[..sent]);
            std::thread::sleep(idle_time * 4);
            stream.write_all(&ASK.as_bytes()[sent..]).expect("it is open");
            wait_for_end(stream)
        });
        assert!(answer.await.starts_with("HTTP/1.1 200"), "{sent}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_do_not_hold_up_the_end() {
    let service = Service::start(POLICY).await;
    let http = service.server.http_address().expect("it is served");
    let streams = TOO_LITTLE.map(|sent| open(http, sent));
    assert_eq!(service.http(ASK).await.status, 200);
    let begin = Instant::now();
    assert!(service.server.stop().await.is_drained);
    assert!(begin.elapsed() < Settings::default().drain / 2, "{:?}", begin.elapsed());
    blocking(move || streams.into_iter().for_each(|stream| drop(wait_for_end(stream)))).await;
}
