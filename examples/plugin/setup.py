from setuptools import setup

setup(
    name='greeter-plugin',
    version='1.0.0',
    packages=['greeter'],
    install_requires=['cloudify-common>=7.0.2'])
