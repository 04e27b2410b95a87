"""File names and interpreters of scripts."""
PYTHON_SCRIPT_FILE_EXTENSION = '.py'
POWERSHELL_SCRIPT_FILE_EXTENSION = '.ps1'
DEFAULT_POWERSHELL_EXECUTABLE = 'powershell'
