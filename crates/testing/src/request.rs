//! The requests that a web server of a test gets.

use std::io::{BufRead, Read};

/// A request, as it came.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method: `GET`, `PUT` and so on.
    pub method: String,
    /// The path and the query, still escaped.
    pub target: String,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The bytes behind the headers, as many as their `content-length` says.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads the next request; none at the end of the connection.
    pub fn read(from: &mut impl BufRead) -> Option<Request> {
        let first = line(from)?;
        let mut words = first.split(' ');
        let (method, target) = (words.next()?.to_string(), words.next()?.to_string());
        let mut headers = Vec::new();
        while let Some((name, value)) = line(from)?.split_once(':') {
            headers.push((name.to_ascii_lowercase(), value.trim().to_string()));
        }
        let mut request = Request { method, target, headers, body: Vec::new() };
        let length = request.header("content-length").map_or(0, |length| length.parse().unwrap());
        from.take(length).read_to_end(&mut request.body).ok()?;
        (request.body.len() as u64 == length).then_some(request)
    }

    /// Returns the value of a header, whose name is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the path and the query, still escaped.
    pub fn path_and_query(&self) -> (&str, &str) {
        self.target.split_once('?').unwrap_or((&self.target, ""))
    }
}

fn line(from: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    from.read_line(&mut line).ok().filter(|read| *read > 0)?;
    Some(line.trim_end().to_string())
}

#[cfg(test)]
mod tests {
    use super::Request;

    #[test]
    fn requests_follow_one_another() {
        let mut text =
            &b"PUT /b/k?a=1 HTTP/1.1\r\nContent-Length: 3\r\nX: y:z\r\n\r\nabcGET / HTTP/1.1\r\n\r\nGET"[..];
        let first = Request::read(&mut text).unwrap();
        assert_eq!(
            (&*first.method, first.path_and_query(), &*first.body),
            ("PUT", ("/b/k", "a=1"), &b"abc"[..])
        );
        assert_eq!((first.header("x"), first.header("y")), (Some("y:z"), None));
        let second = Request::read(&mut text).unwrap();
        assert_eq!((second.path_and_query(), second.headers.len()), (("/", ""), 0));
        assert!(Request::read(&mut text).is_none());
        assert!(Request::read(&mut &b"PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab"[..]).is_none());
    }
}
