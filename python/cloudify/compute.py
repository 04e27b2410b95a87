"""Cloud-init's user data out of several scripts, as the plugins of clouds hand it to a machine."""
from email import message_from_string
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from typing import Iterable, Iterator, Tuple

from cloudify.exceptions import NonRecoverableError

# First line → (subtype of text/, ending of the file name). Of two that fit, the longer one is meant.
_KINDS = {
    '#!': ('x-shellscript', '.sh'),
    'rem cmd': ('x-shellscript', '.cmd'),
    '#ps1_sysnative': ('x-shellscript', '.ps1'),
    '#ps1_x86': ('x-shellscript', '.ps1'),
    '#include-once': ('x-include-once-url', ''),
    '#include': ('x-include-url', ''),
    '#cloud-config-archive': ('cloud-config-archive', ''),
    '#cloud-config': ('cloud-config', ''),
    '#upstart-job': ('upstart-job', ''),
    '#part-handler': ('part-handler', ''),
    '#cloud-boothook': ('cloud-boothook', ''),
}


def create_multi_mimetype_userdata(all_userdata: Iterable[str]) -> str:
    """One multipart text out of scripts and cloud-init texts, which may be multipart themselves.

    Raises NonRecoverableError for a text whose first line tells no kind.
    """
    combined = MIMEMultipart()
    for number, (text, subtype, ending) in enumerate(_parts(all_userdata)):
        part = MIMEText(text, subtype, 'utf-8' if not text.isascii() else 'us-ascii')
        part.add_header('Content-Disposition', 'attachment', filename='{0:03d}{1}'.format(number, ending))
        combined.attach(part)
    return combined.as_string()


def _parts(all_userdata: Iterable[str]) -> Iterator[Tuple[str, str, str]]:
    for text in all_userdata:
        message = message_from_string(text)
        if not message.is_multipart():
            yield (text,) + _kind(text)
            continue
        for part in message.walk():
            if part.is_multipart():
                continue
            content = part.get_payload(decode=True).decode(part.get_content_charset() or 'utf-8')
            yield (content,) + _kind(content)


def _kind(text: str) -> Tuple[str, str]:
    first = text.lstrip().split('\n', 1)[0].strip()
    for mark in sorted(_KINDS, key=len, reverse=True):
        if first.lower().startswith(mark):
            return _KINDS[mark]
    raise NonRecoverableError('User data must begin with one of {0}; this begins with "{1}"'.format(
        ', '.join(sorted(_KINDS)), first[:80]))
